//! Makes a WebAssembly module loadable by a page: `treefold-bindgen MODULE.wasm FOLDER` writes a script and the module.

use std::process::ExitCode;
use wasm_bindgen_cli_support::Bindgen;

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [module, folder] = &arguments[..] else {
        eprintln!("usage: treefold-bindgen MODULE.wasm FOLDER");
        return ExitCode::from(2);
    };
    let made =
        Bindgen::new().web(true).and_then(|bindgen| bindgen.input_path(module).typescript(false).generate(folder));
    match made {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("{module}: {error:?}");
            ExitCode::FAILURE
        }
    }
}
