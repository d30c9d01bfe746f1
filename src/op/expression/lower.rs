//! From the text of an expression to steps, by the language's own front end.

use super::lane::Kind;
use super::program::{Constant, Program, Step, StepIndex};
use super::typing::{Called, Operation, of_kind};
use super::words::{NOT_COMPUTED, SHORT, refused, said, sign_of};
use crate::element::Dtype;
use crate::error::{Error, Result};
use std::collections::HashMap;
use std::ops::Range;
use wgpu::naga;

use naga::{
    BinaryOperator, Block, Expression, Function, Handle, Literal, LocalVariable, MathFunction, Module, Scalar, Span,
    Statement, TypeInner, UnaryOperator,
};

/// Bytes of an expression, at most: front ends walk what is nested by recursion.
const BYTES_MAX: usize = 2000;

/// The steps of an expression over arguments of these names and types, and the type of what it makes.
pub(super) fn lower(text: &str, arguments: &[(&str, Dtype)]) -> Result<(Program, Dtype)> {
    let refused = |at, message: &str| Err(refused(text, at, message));
    if text.trim().is_empty() {
        return refused(0..1, "there is nothing; write what to make of each number, 'abs(x) * 2'");
    }
    if text.len() > BYTES_MAX {
        let begin: String = text.chars().take(60).collect();
        return Err(self::refused(
            &begin,
            0..begin.len(),
            format!("{} bytes are more than the {BYTES_MAX} of one", text.len()),
        ));
    }
    if let Some(at) = text.find([';', '{', '}', '@']) {
        return refused(at..at + 1, "an expression alone: no statements, no declarations");
    }
    if let Some(at) = text.find("//").or_else(|| text.find("/*")) {
        return refused(at..at + 2, "an expression alone: no comments");
    }
    let mut open = 0;
    for (at, letter) in text.char_indices() {
        open += i32::from(letter == '(') - i32::from(letter == ')');
        if open < 0 {
            return refused(at..at + 1, "this ) closes nothing");
        }
    }
    let kinds = arguments.iter().map(|&(_, dtype)| Kind::of(dtype)).collect::<Option<Vec<Kind>>>();
    let Some(arguments_kinds) = kinds else {
        return refused(0..text.len(), "expressions take numbers of 32 or 64 bits");
    };
    let named: Vec<String> = arguments.iter().map(|(name, dtype)| format!("{name}: {dtype}")).collect();
    let head = format!("fn expression({}) {{ let made = (", named.join(", "));
    let module = naga::front::wgsl::parse_str(&format!("{head}{text}); }}"));
    let here = |span: Span| {
        let range = span.to_range().unwrap_or(head.len()..head.len() + text.len());
        let within = |at: usize| at.saturating_sub(head.len()).min(text.len());
        within(range.start)..within(range.end)
    };
    let module = module.map_err(|error| {
        let at = error.labels().next().map_or(0..text.len(), |(span, _)| here(span));
        self::refused(text, at, said(error.message(), arguments))
    })?;
    let function = module.functions.iter().next().map(|(_, function)| function);
    let made = function.and_then(|function| {
        let made = function.named_expressions.iter().find(|(_, name)| name.as_str() == "made");
        made.map(|(&made, _)| (function, made))
    });
    let Some((function, made)) = made else {
        return refused(0..text.len(), "an expression alone: it must make a number");
    };
    let lowering = Lowering { module: &module, function, arguments: &arguments_kinds, text, here: &here };
    lowering.program(made)
}

struct Lowering<'a> {
    module: &'a Module,
    function: &'a Function,
    arguments: &'a [Kind],
    text: &'a str,
    here: &'a dyn Fn(Span) -> Range<usize>,
}

/// The steps that are made so far.
#[derive(Default)]
struct Made {
    steps: Vec<(Step, Kind)>,
    /// Parts of the text that devices get in other words.
    otherwise: Vec<Range<usize>>,
    /// The step that makes the value of an expression.
    values: HashMap<Handle<Expression>, StepIndex>,
    /// The step that makes the present value of a variable.
    variables: HashMap<Handle<LocalVariable>, StepIndex>,
}

impl Made {
    fn step(&mut self, step: Step, kind: Kind) -> StepIndex {
        self.steps.push((step, kind));
        self.steps.len() - 1
    }

    fn constant(&mut self, constant: Constant) -> StepIndex {
        self.step(Step::Constant(constant, constant.column()), constant.kind())
    }

    fn kind(&self, at: StepIndex) -> Kind {
        self.steps.get(at).map_or(Kind::Bool, |&(_, kind)| kind)
    }
}

impl Lowering<'_> {
    fn program(&self, made: Handle<Expression>) -> Result<(Program, Dtype)> {
        let mut so_far = Made::default();
        self.block(&self.function.body, None, &mut so_far)?;
        let last = self.value(made, &mut so_far)?;
        let kind = so_far.kind(last);
        // Of whole numbers alone, which no type of 32 bits holds, the front end makes an f32.
        let whole = |text: &str| text.chars().all(|letter| !letter.is_alphabetic() && letter != '.');
        if let ([(Step::Constant(Constant::F32(x), _), _)], true) = (&so_far.steps[..], whole(self.text)) {
            let message =
                format!("a whole number beyond 32 bits; with a point it is rounded to f32: {:?}", f64::from(*x));
            return Err(refused(self.text, 0..self.text.len(), message));
        }
        // The answer is what the last step makes.
        if last + 1 != so_far.steps.len() {
            match so_far.steps.get(last).cloned() {
                Some((step @ (Step::Argument(_) | Step::Constant(..)), _)) => so_far.step(step, kind),
                _ => so_far.step(Step::Bits(last), kind),
            };
        }
        Ok((Program { steps: so_far.steps, otherwise: so_far.otherwise }, kind.dtype()))
    }

    /// Runs statements; what they store counts where `mask` is true.
    fn block(&self, block: &Block, mask: Option<StepIndex>, made: &mut Made) -> Result<()> {
        for statement in block.iter() {
            match statement {
                Statement::Emit(range) => {
                    for expression in range.clone() {
                        let value = self.made(expression, made)?;
                        made.values.insert(expression, value);
                    }
                }
                Statement::Block(block) => self.block(block, mask, made)?,
                Statement::If { condition, accept, reject } => {
                    let holds = self.value(*condition, made)?;
                    if made.kind(holds) != Kind::Bool {
                        let message = format!("&& and || take two comparisons, not {}", made.kind(holds).name());
                        return Err(self.refused(*condition, message));
                    }
                    let condition = holds;
                    let other = made.step(Step::Unary(UnaryOperator::LogicalNot, condition), Kind::Bool);
                    for (block, holds) in [(accept, condition), (reject, other)] {
                        let both = |mask| made.step(Step::Binary(BinaryOperator::LogicalAnd, mask, holds), Kind::Bool);
                        let mask = mask.map_or(holds, both);
                        self.block(block, Some(mask), made)?;
                    }
                }
                Statement::Store { pointer, value } => {
                    let Expression::LocalVariable(variable) = self.function.expressions[*pointer] else {
                        return Err(self.not_computed(*pointer));
                    };
                    let new = self.value(*value, made)?;
                    let kind = made.kind(new);
                    if self.kind_of_type(self.function.local_variables[variable].ty) != Some(kind) {
                        let message = format!("&& and || take two comparisons, not {}", kind.name());
                        return Err(self.refused(*pointer, message));
                    }
                    let now = match (mask, made.variables.get(&variable)) {
                        (Some(mask), Some(&before)) => made.step(Step::Select(mask, new, before), kind),
                        // Before the first value of a variable nobody reads it.
                        _ => new,
                    };
                    made.variables.insert(variable, now);
                }
                Statement::Return { .. } => {}
                _ => return Err(refused(self.text, 0..self.text.len(), "an expression alone: it must make a number")),
            }
        }
        Ok(())
    }

    /// The step that makes the value of an expression, which has been made or needs no statement.
    fn value(&self, of: Handle<Expression>, made: &mut Made) -> Result<StepIndex> {
        match made.values.get(&of) {
            Some(&value) => Ok(value),
            None => {
                let value = self.made(of, made)?;
                made.values.insert(of, value);
                Ok(value)
            }
        }
    }

    fn refused(&self, of: Handle<Expression>, message: impl Into<String>) -> Error {
        refused(self.text, self.place_of(of), message)
    }

    fn place_of(&self, of: Handle<Expression>) -> Range<usize> {
        (self.here)(self.function.expressions.get_span(of))
    }

    fn text_of(&self, of: Handle<Expression>) -> &str {
        self.text.get(self.place_of(of)).unwrap_or_default()
    }

    fn not_computed(&self, of: Handle<Expression>) -> Error {
        self.refused(of, NOT_COMPUTED)
    }

    fn made(&self, of: Handle<Expression>, made: &mut Made) -> Result<StepIndex> {
        match self.function.expressions[of] {
            Expression::Literal(literal) => self.literal(of, literal, made),
            Expression::ZeroValue(ty) => {
                let kind = self.kind_of_type(ty).ok_or_else(|| self.not_computed(of))?;
                Ok(made.constant(Constant::zero(kind)))
            }
            Expression::FunctionArgument(number) => {
                let kind = self.arguments.get(number as usize).copied().ok_or_else(|| self.not_computed(of))?;
                Ok(made.step(Step::Argument(number as usize), kind))
            }
            Expression::Load { pointer } => match self.function.expressions[pointer] {
                Expression::LocalVariable(variable) => {
                    made.variables.get(&variable).copied().ok_or_else(|| self.not_computed(of))
                }
                _ => Err(self.not_computed(of)),
            },
            Expression::Unary { op, expr } => self.unary(of, op, expr, made),
            Expression::Binary { op, left, right } => self.binary(of, op, left, right, made),
            Expression::Select { condition, accept, reject } => {
                let values = [condition, accept, reject].map(|of| self.value(of, made));
                let [condition, accept, reject] = values;
                let (condition, accept, reject) = (condition?, accept?, reject?);
                let (kinds, is) = ([accept, reject].map(|value| made.kind(value)), made.kind(condition));
                match kinds[0] == kinds[1] && is == Kind::Bool {
                    true => Ok(made.step(Step::Select(condition, accept, reject), kinds[0])),
                    false => {
                        let [no, yes] = [kinds[1].name(), kinds[0].name()];
                        let is = is.name();
                        Err(self.refused(
                            of,
                            format!("select takes two values of one type and a comparison, not {no}, {yes} and {is}"),
                        ))
                    }
                }
            }
            Expression::Math { fun, arg, arg1, arg2, arg3 } => {
                let given: Vec<Handle<Expression>> = [Some(arg), arg1, arg2, arg3].into_iter().flatten().collect();
                self.math(of, fun, &given, made)
            }
            Expression::As { expr, kind, convert } => {
                let value = self.value(expr, made)?;
                let has = made.kind(value);
                let width = convert.unwrap_or((has.bits() / 8) as u8);
                let to = match Kind::of_scalar(kind, width) {
                    Some(to) => to,
                    None if convert.is_none() => Kind::Bool,
                    None => return Err(self.refused(of, SHORT)),
                };
                let named = self.text_of(of).split_once('<').and_then(|(_, rest)| rest.split_once('>'));
                let fits = named.is_none_or(|(named, _)| named.trim() == to.name());
                if convert.is_none() && (!fits || has == Kind::Bool || to == Kind::Bool) {
                    let message =
                        format!("bitcast makes a number of as many bits, and {} has {}", has.name(), has.bits());
                    return Err(self.refused(of, message));
                }
                let step = if convert.is_some() { Step::Cast(value) } else { Step::Bits(value) };
                Ok(made.step(step, to))
            }
            _ => Err(self.not_computed(of)),
        }
    }

    fn kind_of_type(&self, ty: Handle<naga::Type>) -> Option<Kind> {
        match self.module.types[ty].inner {
            TypeInner::Scalar(Scalar { kind, width }) => Kind::of_scalar(kind, width),
            _ => None,
        }
    }

    fn literal(&self, of: Handle<Expression>, literal: Literal, made: &mut Made) -> Result<StepIndex> {
        let constant = match literal {
            Literal::F64(x) => Constant::F64(x),
            Literal::F32(x) => Constant::F32(x),
            // Numbers that are left without a type, in errors.
            Literal::AbstractFloat(x) => Constant::F32(x as f32),
            Literal::AbstractInt(x) => Constant::I32(x as i32),
            Literal::U32(x) => Constant::U32(x),
            Literal::I32(x) => Constant::I32(x),
            Literal::U64(x) => Constant::U64(x),
            Literal::I64(x) => Constant::I64(x),
            Literal::Bool(x) => Constant::Bool(x),
            Literal::F16(_) | Literal::U16(_) | Literal::I16(_) => {
                return Err(self.refused(of, SHORT));
            }
        };
        Ok(made.constant(constant))
    }

    fn unary(
        &self,
        of: Handle<Expression>,
        op: UnaryOperator,
        value: Handle<Expression>,
        made: &mut Made,
    ) -> Result<StepIndex> {
        let value = self.value(value, made)?;
        let kind = made.kind(value);
        let (fits, sign, wants) = match op {
            UnaryOperator::Negate => {
                (kind != Kind::Bool && kind != Kind::U32 && kind != Kind::U64, "-", "a number with a sign")
            }
            // The front end makes || of !.
            UnaryOperator::LogicalNot if !self.text_of(of).starts_with('!') => {
                (kind == Kind::Bool, "||", "two comparisons")
            }
            UnaryOperator::LogicalNot => (kind == Kind::Bool, "!", "a comparison"),
            UnaryOperator::BitwiseNot => (kind.is_integer(), "~", "an integer"),
        };
        match fits {
            true => Ok(made.step(Step::Unary(op, value), kind)),
            false => Err(self.refused(of, format!("{sign} takes {wants}, not {}", kind.name()))),
        }
    }

    fn binary(
        &self,
        of: Handle<Expression>,
        op: BinaryOperator,
        left: Handle<Expression>,
        right: Handle<Expression>,
        made: &mut Made,
    ) -> Result<StepIndex> {
        let (left, right) = (self.value(left, made)?, self.value(right, made)?);
        let kinds = [left, right].map(|value| made.kind(value));
        let kind = kinds[0];
        let shifts = matches!(op, BinaryOperator::ShiftLeft | BinaryOperator::ShiftRight);
        let number = made.steps.get(right).and_then(|(step, _)| match step {
            Step::Constant(constant, _) => constant.integer(),
            _ => None,
        });
        match (op, number) {
            (BinaryOperator::Divide | BinaryOperator::Modulo, Some(0)) => {
                return Err(self.refused(of, "this divides by 0"));
            }
            (BinaryOperator::ShiftLeft | BinaryOperator::ShiftRight, Some(by)) if by >= u64::from(kind.bits()) => {
                return Err(self.refused(of, format!("this shifts all {} bits out", kind.bits())));
            }
            _ => {}
        }
        let makes = match op {
            _ if shifts => (kind.is_integer() && kinds[1] == Kind::U32).then_some(kind),
            _ if kinds[0] != kinds[1] => None,
            BinaryOperator::LogicalAnd | BinaryOperator::LogicalOr => (kind == Kind::Bool).then_some(kind),
            BinaryOperator::Equal | BinaryOperator::NotEqual => Some(Kind::Bool),
            BinaryOperator::And | BinaryOperator::InclusiveOr if kind == Kind::Bool => Some(kind),
            _ => of_kind(kind, Operation(op)),
        };
        if op == BinaryOperator::NotEqual && kind.is_float() {
            made.otherwise.push(self.place_of(of));
        }
        match makes {
            Some(makes) => Ok(made.step(Step::Binary(op, left, right), makes)),
            None => {
                let [a, b] = kinds.map(Kind::name);
                let takes = match op {
                    _ if shifts => "an integer and a u32",
                    BinaryOperator::LogicalAnd | BinaryOperator::LogicalOr => "two comparisons",
                    BinaryOperator::ExclusiveOr if kind.is_float() => {
                        return Err(self.refused(of, "^ takes two integers; powers are pow(x, 2.0)"));
                    }
                    BinaryOperator::And | BinaryOperator::InclusiveOr | BinaryOperator::ExclusiveOr => {
                        "two integers of one type"
                    }
                    _ => "two numbers of one type",
                };
                Err(self.refused(of, format!("{} takes {takes}, not {a} and {b}", sign_of(op))))
            }
        }
    }

    fn math(
        &self,
        of: Handle<Expression>,
        function: MathFunction,
        given: &[Handle<Expression>],
        made: &mut Made,
    ) -> Result<StepIndex> {
        let mut values = Vec::new();
        for &value in given {
            values.push(self.value(value, made)?);
        }
        let kinds: Vec<Kind> = values.iter().map(|&value| made.kind(value)).collect();
        let kind = kinds.first().copied().unwrap_or(Kind::Bool);
        let counts = |from: usize| kinds.iter().skip(from).all(|&kind| kind == Kind::U32);
        let makes = match function {
            MathFunction::QuantizeToF16 => (kinds == [Kind::F32]).then_some(kind),
            MathFunction::Ldexp => (kinds == [Kind::F32, Kind::I32] || kinds == [Kind::F64, Kind::I32]).then_some(kind),
            MathFunction::ExtractBits => (kinds.len() == 3 && kind.is_integer() && counts(1)).then_some(kind),
            MathFunction::InsertBits => {
                (kinds.len() == 4 && kind.is_integer() && kinds[1] == kind && counts(2)).then_some(kind)
            }
            _ if kinds.iter().any(|&other| other != kind) => None,
            _ => of_kind(kind, Called(function, kinds.len())),
        };
        if function == MathFunction::Step {
            made.otherwise.push(self.place_of(of));
        }
        match makes {
            Some(makes) => Ok(made.step(Step::Math(function, values), makes)),
            None => {
                let kinds: Vec<&str> = kinds.into_iter().map(Kind::name).collect();
                Err(self.refused(of, format!("this function makes no single number of {}", kinds.join(", "))))
            }
        }
    }
}
