//! A folder for one test, gone at its end, and answers of a real API server.

use std::{
    fs,
    path::{Path, PathBuf},
    process,
};

/// An answer of kube-apiserver v1.36.4, recorded word by word; its name says what was asked.
pub(crate) fn recorded_answer(name: &str) -> serde_json::Value {
    let all: serde_json::Value =
        serde_json::from_str(include_str!("recorded_answers.json")).unwrap();
    all[name].as_object().expect(name).clone().into()
}

/// The failure that such an answer stands for.
pub(crate) fn recorded_failure(name: &str) -> super::ApiErrorKind {
    let answer = recorded_answer(name);
    let code = answer["code"].as_u64().unwrap();
    let (mut parts, ()) = http::Response::new(()).into_parts();
    parts.status = http::StatusCode::from_u16(u16::try_from(code).unwrap()).unwrap();
    super::from_answer(&parts, &answer.to_string())
}

pub(super) struct Folder(PathBuf);

impl Folder {
    /// `name` must differ between tests: they run side by side.
    pub(super) fn new(name: &str) -> Self {
        let folder = std::env::temp_dir().join(format!("kubectl-pv-{}-{name}", process::id()));
        fs::create_dir_all(&folder).unwrap();
        Self(folder)
    }

    pub(super) fn path(&self, name: &str) -> PathBuf {
        self.0.join(name)
    }

    pub(super) fn write(&self, name: &str, content: &str) {
        fs::write(self.path(name), content).unwrap();
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let folder: &Path = &self.0;
        let _ = fs::remove_dir_all(folder);
    }
}
