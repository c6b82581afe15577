//! The inputs of a comparison: the fixtures and examples of the repository, copied so that examples of differences stay
//! readable after a change, and generated clusters. An input that shows no difference is removed again.

use std::path::{Path, PathBuf};
use std::{fs, io};

use super::generate::generate;
use super::invocations::{Input, Invocation, without_cluster};
use super::objects::Subjects;
use super::settings::Settings;
use super::survey::remove_folder;
use crate::random::Random;

/// Where the inputs are.
pub(super) struct Workplace {
    folder: PathBuf,
    /// An empty folder for `--backend`.
    pub(super) pool: String,
    /// Files and folders for `-f`, relative to the copy.
    fixtures: Vec<String>,
}

/// One input, to be prepared and asked.
pub(super) enum Job {
    /// Command lines that read no cluster.
    NoCluster,
    /// A number, and a file or folder of the repository.
    Fixture(usize, String),
    /// A cluster by its number.
    Generated(usize),
}

impl Job {
    pub(super) fn number(&self) -> usize {
        match self {
            Self::NoCluster => 0,
            Self::Fixture(number, _) | Self::Generated(number) => *number,
        }
    }
}

/// An input on disk.
pub(super) struct Prepared {
    /// Nothing for command lines that read no cluster.
    input: Option<Input>,
    is_generated: bool,
    folder: PathBuf,
    pub(super) size: usize,
}

impl Workplace {
    /// Copies the fixtures into the folder.
    pub(super) fn new(folder: &Path) -> io::Result<Self> {
        remove_folder(folder)?;
        let pool = folder.join("pool");
        fs::create_dir_all(&pool)?;
        let root = Path::new(env!("CARGO_MANIFEST_DIR"));
        let mut fixtures = Vec::new();
        for part in ["tests/clusters", "examples", "tests/seeds"] {
            copy(
                root,
                Path::new(part),
                &folder.join("fixtures"),
                &mut fixtures,
            )?;
        }
        fixtures.extend(["examples".to_owned(), "tests/clusters/problems".to_owned()]);
        fixtures.sort();
        Ok(Self {
            folder: folder.to_owned(),
            pool: pool.to_str().expect("a path in plain text").to_owned(),
            fixtures,
        })
    }

    pub(super) fn jobs(&self, settings: &Settings) -> Vec<Job> {
        let mut jobs = Vec::new();
        if settings.forms > 0 {
            jobs.push(Job::NoCluster);
            let fixtures = self.fixtures.iter().cloned().enumerate();
            let wanted = settings.input.as_deref().unwrap_or_default();
            let fixtures = fixtures.filter(|(_, file)| file.contains(wanted));
            jobs.extend(fixtures.map(|(number, file)| Job::Fixture(number, file)));
        }
        jobs.extend((0..settings.clusters).map(Job::Generated));
        jobs
    }

    pub(super) fn prepare(&self, settings: &Settings, job: &Job) -> io::Result<Prepared> {
        let fixtures = self.folder.join("fixtures");
        match job {
            Job::NoCluster => Ok(Prepared {
                input: None,
                is_generated: false,
                folder: fixtures,
                size: 0,
            }),
            Job::Fixture(_, file) => {
                let text = read_all(&fixtures.join(file))?;
                let with = "tests/clusters/whatif-volume.yaml";
                Ok(Prepared {
                    size: text.len(),
                    input: Some(Input {
                        folder: fixtures.clone(),
                        file: file.clone(),
                        with: with.to_owned(),
                        subjects: Subjects::read(&text),
                        what_ifs: settings.what_ifs,
                    }),
                    is_generated: false,
                    folder: fixtures,
                })
            }
            Job::Generated(number) => {
                let generated = generate(settings.seed, *number);
                let folder = self.folder.join(format!("cluster-{number}"));
                fs::create_dir_all(&folder)?;
                fs::write(folder.join("cluster.yaml"), &generated.text)?;
                fs::write(folder.join("with.yaml"), &generated.with)?;
                Ok(Prepared {
                    size: generated.text.len(),
                    input: Some(Input {
                        folder: folder.clone(),
                        file: "cluster.yaml".to_owned(),
                        with: "with.yaml".to_owned(),
                        subjects: Subjects::of(&generated.objects),
                        what_ifs: settings.what_ifs,
                    }),
                    is_generated: true,
                    folder,
                })
            }
        }
    }
}

impl Prepared {
    pub(super) fn invocations(
        &self,
        settings: &Settings,
        random: &mut Random,
        pool: &str,
    ) -> Vec<Invocation> {
        let mut invocations = match &self.input {
            None => without_cluster(&self.folder),
            Some(input) if self.is_generated => {
                input.some_invocations(random, pool, settings.questions)
            }
            Some(input) => input.all_invocations(random, pool, settings.forms),
        };
        if let Some(command) = &settings.command {
            invocations.retain(|invocation| invocation.command == command);
        }
        invocations
    }

    /// A generated cluster that both builds agree on is of no further use.
    pub(super) fn remove(self) -> io::Result<()> {
        if self.is_generated {
            remove_folder(&self.folder)
        } else {
            Ok(())
        }
    }
}

/// Copies a folder with all files in it, and lists the files that hold objects.
fn copy(root: &Path, part: &Path, to: &Path, files: &mut Vec<String>) -> io::Result<()> {
    fs::create_dir_all(to.join(part))?;
    for entry in fs::read_dir(root.join(part))? {
        let entry = entry?;
        let path = part.join(entry.file_name());
        if entry.file_type()?.is_dir() {
            copy(root, &path, to, files)?;
            continue;
        }
        fs::copy(entry.path(), to.join(&path))?;
        let extension = path.extension().and_then(|extension| extension.to_str());
        if matches!(extension, Some("yaml" | "json")) {
            files.push(path.to_str().expect("a path in plain text").to_owned());
        }
    }
    Ok(())
}

/// The text of a file, or of all files of a folder.
fn read_all(path: &Path) -> io::Result<String> {
    if path.is_file() {
        return fs::read_to_string(path);
    }
    let entries = fs::read_dir(path)?.map(|entry| Ok(entry?.path()));
    let mut paths: Vec<PathBuf> = entries.collect::<io::Result<_>>()?;
    paths.sort();
    let mut text = String::new();
    for path in paths {
        if path
            .extension()
            .is_some_and(|extension| extension == "yaml")
        {
            text.push_str("\n---\n");
            text.push_str(&fs::read_to_string(path)?);
        }
    }
    Ok(text)
}
