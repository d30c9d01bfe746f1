//! A look at an operator's texts before they are used: errors by the operator's own lines, and loops that are not declared.

use super::Source;
#[cfg(not(target_arch = "wasm32"))]
use crate::error::Error;
use crate::error::Result;
use crate::op::DeviceOp;
#[cfg(not(target_arch = "wasm32"))]
use crate::op::{declared, tokens};

/// Checks the text of an operator that is not the library's own.
///
/// # Errors
/// [`Error::BadWgsl`], [`Error::UndeclaredLoop`].
#[cfg(not(target_arch = "wasm32"))]
pub(crate) fn check(op: &DeviceOp, source: &Source) -> Result<()> {
    use wgpu::naga;
    let text = &source.text;
    let bad = |line: Option<u32>, message: String| {
        let place = line.and_then(|line| source.piece((line as usize).saturating_sub(1)));
        match place {
            Some((piece, line, quoted)) => {
                let (operator, piece, quoted) = (op.name.into(), format!("`{piece}`"), quoted.into());
                Error::BadWgsl { operator, piece, line, quoted, message }
            }
            None => Error::Refused { what: "the text of an operator", message: format!("{}: {message}", op.name) },
        }
    };
    if let Some(line) = source.unclosed() {
        return Err(bad(Some(line), "the comment that begins with /* has no end; close it with */".into()));
    }
    let module = naga::front::wgsl::parse_str(text).map_err(|error| {
        let line = error.location(text).map(|location| location.line_number);
        bad(line, error.message().to_string())
    })?;
    let mut validator =
        naga::valid::Validator::new(naga::valid::ValidationFlags::all(), naga::valid::Capabilities::all());
    validator.validate(&module).map_err(|error| {
        let line = error.location(text).map(|location| location.line_number);
        let mut causes = vec![error.as_inner().to_string()];
        let mut source: Option<&dyn std::error::Error> = std::error::Error::source(error.as_inner());
        while let Some(cause) = source {
            causes.push(cause.to_string());
            source = cause.source();
        }
        bad(line, causes.join(": "))
    })?;
    loops(op, &module)
}

/// In browsers there is no such look: declarations are trusted, and the browser's compiler reports errors.
#[cfg(target_arch = "wasm32")]
pub(crate) fn check(_: &DeviceOp, _: &Source) -> Result<()> {
    Ok(())
}

/// Whether each function that loops has declared it.
#[cfg(not(target_arch = "wasm32"))]
fn loops(op: &DeviceOp, module: &wgpu::naga::Module) -> Result<()> {
    let looped = |name: &str| named(module, name).is_some_and(|found| looping(module, found));
    if let Some(text) = op.dtype.brought() {
        let names = declared(&tokens(text)).into_iter().map(|(name, _)| name);
        // Behind a map they have a prefix.
        let loops = |name: &str| {
            module.functions.iter().any(|(_, found)| {
                let ends = |found: &String| found == name || found.ends_with(&format!("read_{name}"));
                found.name.as_ref().is_some_and(ends) && looping(module, found)
            })
        };
        if names.into_iter().any(loops) {
            return Err(Error::UndeclaredLoop { operator: op.name.into(), function: "a function of the element type" });
        }
    }
    for (number, fold) in op.folds.iter().enumerate() {
        let trips = fold.trips();
        let prefix = if op.folds.len() == 1 { String::new() } else { format!("m{number}_") };
        if fold.map.as_ref().is_some_and(|map| map.trips == 0) && looped(&format!("{prefix}map_element")) {
            return Err(Error::UndeclaredLoop { operator: op.name.into(), function: "map_element" });
        }
        if fold.test.as_ref().is_some_and(|test| test.trips == 0) && looped(&format!("{prefix}keep_element")) {
            return Err(Error::UndeclaredLoop { operator: op.name.into(), function: "keep_element" });
        }
        if fold.value().is_none_or(|wgsl| wgsl.checked) {
            continue;
        }
        let functions = [
            ("identity", "identity", 0),
            ("lift", "lift", trips.lift),
            ("lift_position", "lift", trips.lift),
            ("combine", "combine", trips.combine),
            ("accumulate_vector_position", "the vector form", trips.vector),
            ("offset", "the index offset", trips.offset),
            ("shuffle", "shuffle", trips.shuffle),
        ];
        let own = |name: &'static str| (name, fold.value().is_some_and(|wgsl| wgsl.vector.is_some()));
        let vector = own("accumulate_vector").1.then_some(("accumulate_vector", "the vector form", trips.vector));
        for (name, function, declared) in functions.into_iter().chain(vector) {
            if declared == 0 && looped(&format!("{prefix}{name}")) {
                return Err(Error::UndeclaredLoop { operator: op.name.into(), function });
            }
        }
    }
    for (number, (_, answer)) in op.answers.iter().enumerate() {
        let name = format!("{}finish", op.answer_prefix(number));
        if answer.trips == 0 && looped(&name) {
            return Err(Error::UndeclaredLoop { operator: op.name.into(), function: "finish" });
        }
    }
    Ok(())
}

#[cfg(not(target_arch = "wasm32"))]
fn named<'m>(module: &'m wgpu::naga::Module, name: &str) -> Option<&'m wgpu::naga::Function> {
    module.functions.iter().map(|(_, function)| function).find(|function| function.name.as_deref() == Some(name))
}

/// Whether a function has a loop, or calls one that has.
#[cfg(not(target_arch = "wasm32"))]
fn looping(module: &wgpu::naga::Module, function: &wgpu::naga::Function) -> bool {
    fn any(module: &wgpu::naga::Module, block: &wgpu::naga::Block) -> bool {
        use wgpu::naga::Statement;
        block.iter().any(|statement| match statement {
            Statement::Loop { .. } => true,
            Statement::Block(block) => any(module, block),
            Statement::If { accept, reject, .. } => any(module, accept) || any(module, reject),
            Statement::Switch { cases, .. } => cases.iter().any(|case| any(module, &case.body)),
            Statement::Call { function, .. } => looping(module, &module.functions[*function]),
            _ => false,
        })
    }
    any(module, &function.body)
}
