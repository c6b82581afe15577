//! Reads kubeconfig files and merges them as kubectl does: files that do not exist are passed
//! over unless named by `--kubeconfig`, the first to set a name wins, empty values count as unset.

use std::{
    env,
    path::{Path, PathBuf},
};

use kube::config::{Kubeconfig, KubeconfigError};

use super::{
    errors::ConnectError,
    reason::{innermost, io_reason},
};
use crate::{
    environment::Environment,
    load::outside::{read_configuration, text},
};

/// The merged kubeconfig.
#[derive(Default)]
#[cfg_attr(test, derive(Debug))] // credentials have no business in a message
pub(super) struct LoadedKubeconfig {
    pub(super) config: Kubeconfig,
    /// The files it was read from.
    pub(super) files: Vec<PathBuf>,
    /// All files that were looked for.
    pub(super) looked_in: Vec<PathBuf>,
}

pub(super) fn load_kubeconfig(
    explicit: Option<&Path>,
    environment: &Environment,
) -> Result<LoadedKubeconfig, ConnectError> {
    if let Some(path) = explicit {
        let files = vec![path.to_owned()];
        return Ok(LoadedKubeconfig {
            config: read(path)?,
            looked_in: files.clone(),
            files,
        });
    }
    let mut loaded = LoadedKubeconfig {
        looked_in: usual_files(environment),
        ..LoadedKubeconfig::default()
    };
    for path in loaded
        .looked_in
        .iter()
        .filter(|path| path.try_exists().unwrap_or(true))
    {
        loaded.config =
            loaded
                .config
                .merge(read(path)?)
                .map_err(|error| ConnectError::ReadKubeconfig {
                    path: path.clone(),
                    reason: innermost(&error),
                })?;
        loaded.files.push(path.clone());
    }
    Ok(loaded)
}

/// The files of `KUBECONFIG`, else the one in the home folder.
fn usual_files(environment: &Environment) -> Vec<PathBuf> {
    let listed: Vec<PathBuf> = environment
        .kubeconfig
        .iter()
        .flat_map(env::split_paths)
        .filter(|path| !path.as_os_str().is_empty())
        .collect();
    if listed.is_empty() {
        environment
            .home
            .iter()
            .map(|home| home.join(".kube").join("config"))
            .collect()
    } else {
        listed
    }
}

fn read(path: &Path) -> Result<Kubeconfig, ConnectError> {
    let unreadable = |reason| ConnectError::ReadKubeconfig {
        path: path.to_owned(),
        reason,
    };
    let bytes = read_configuration(path).map_err(|error| unreadable(io_reason(&error)))?;
    if is_cut_utf16(&bytes) {
        return Err(unreadable(
            "it is cut off in the middle of a character".to_owned(),
        ));
    }
    // kube resolves the paths in a file against its folder. A pipe has none, and can be read only once.
    let parsed = if path.is_file() {
        Kubeconfig::read_from(path)
    } else {
        let text = text(bytes).map_err(|error| unreadable(io_reason(&error)))?;
        Kubeconfig::from_yaml(&text)
    };
    let mut config = parsed.map_err(|error| match error {
        KubeconfigError::ReadConfig(error, _) => unreadable(io_reason(&error)),
        KubeconfigError::Parse(error) => ConnectError::ParseKubeconfig {
            path: path.to_owned(),
            place: error
                .location()
                .map(|location| (location.line(), location.column())),
        },
        other => unreadable(innermost(&other)),
    })?;
    config.current_context = config.current_context.filter(|name| !name.is_empty());
    Ok(config)
}

/// kube panics on UTF-16 of an odd length.
fn is_cut_utf16(bytes: &[u8]) -> bool {
    bytes.len() % 2 == 1 && matches!(bytes, [0xFF, 0xFE, ..] | [0xFE, 0xFF, ..])
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;
    use crate::load::client::testing::Folder;

    fn environment(folder: &Folder, files: &[&str]) -> Environment {
        let paths = files.iter().map(|name| folder.path(name));
        Environment {
            kubeconfig: Some(env::join_paths(paths).unwrap()),
            ..Environment::default()
        }
    }

    #[test]
    fn listed_files_are_merged_and_missing_ones_passed_over() {
        let folder = Folder::new("merge");
        folder.write(
            "a",
            "current-context: ''\ncontexts: [{name: one, context: {cluster: x}}]",
        );
        folder.write(
            "b",
            "current-context: two\ncontexts: [{name: one, context: {cluster: y}}, {name: two}]",
        );
        let loaded = load_kubeconfig(None, &environment(&folder, &["a", "missing", "b"])).unwrap();
        assert_eq!(loaded.files, [folder.path("a"), folder.path("b")]);
        assert_eq!(loaded.config.current_context.as_deref(), Some("two"));
        let one = loaded.config.contexts[0].context.as_ref().unwrap();
        assert_eq!(one.cluster, "x");
    }

    #[test]
    fn the_file_in_the_home_folder_is_the_last_resort() {
        let folder = Folder::new("home");
        let environment = Environment {
            home: Some(folder.path("")),
            ..Environment::default()
        };
        let loaded = load_kubeconfig(None, &environment).unwrap();
        assert!(loaded.files.is_empty());
        assert_eq!(loaded.looked_in, [folder.path("").join(".kube/config")]);
    }

    #[test]
    fn a_named_file_must_exist() {
        let folder = Folder::new("named");
        let path = folder.path("missing");
        let error = load_kubeconfig(Some(&path), &Environment::default()).unwrap_err();
        assert_eq!(
            error.to_string(),
            format!(
                "cannot read kubeconfig {}: no such file or directory",
                path.display()
            )
        );
    }

    #[test]
    fn a_broken_file_is_named_with_the_place_and_without_its_content() {
        let folder = Folder::new("broken");
        folder.write("a", "users:\n- name: me\n  user:\n    token: [hush]\n");
        let error = load_kubeconfig(Some(&folder.path("a")), &Environment::default())
            .unwrap_err()
            .to_string();
        assert!(
            error.contains("is not a valid kubeconfig (line 4, column"),
            "{error}"
        );
        assert!(!error.contains("hush"), "{error}");
    }

    #[test]
    fn half_a_character_of_utf16_is_an_error() {
        let folder = Folder::new("utf16");
        fs::write(folder.path("a"), [0xFF, 0xFE, b'a']).unwrap();
        let error = load_kubeconfig(Some(&folder.path("a")), &Environment::default()).unwrap_err();
        assert!(
            error
                .to_string()
                .ends_with("it is cut off in the middle of a character"),
            "{error}"
        );
    }

    #[test]
    fn an_endless_or_large_file_is_refused() {
        let folder = Folder::new("large");
        let message = |path: &Path| {
            load_kubeconfig(Some(path), &Environment::default())
                .unwrap_err()
                .to_string()
        };
        assert_eq!(
            message(Path::new("/dev/zero")),
            "cannot read kubeconfig /dev/zero: not a regular file or a pipe"
        );
        folder.write("a", &"# x\n".repeat(300_000));
        let path = folder.path("a");
        assert_eq!(
            message(&path),
            format!(
                "cannot read kubeconfig {}: larger than 1 MiB",
                path.display()
            )
        );
    }
}
