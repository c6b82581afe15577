//! The binary: arguments in, exit status out.

use std::process::ExitCode;

fn main() -> ExitCode {
    ExitCode::from(kubectl_pv::run(std::env::args_os()))
}
