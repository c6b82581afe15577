//! The questions of `describe-class --interactive`, one for each option of the class. Only answers that the class allows
//! are taken.

use crate::conventions::access_mode::AccessMode;
use crate::conventions::names::{NameProblem, name_problems};
use crate::conventions::quantity::Quantity;
use crate::engine::{option_refusal, usable_values};
use crate::error::CommandError;
use crate::model::Class;
use crate::prompt::{ask, choose};
use crate::render::safe;
use crate::report::{ClaimTemplate, OptionDescription, TemplateValue};
use crate::session::Session;

/// Asks for all that a template leaves open.
pub(super) fn fill(
    class: &Class,
    mut template: ClaimTemplate,
    asks_name: bool,
    session: &mut Session<'_>,
) -> Result<ClaimTemplate, CommandError> {
    for entry in &mut template.entries {
        match entry.value {
            TemplateValue::NoKey if entry.option.required => {
                return Err(CommandError::unanswered(format!(
                    "class \"{}\" requires option \"{}\", and no ConfigMap can have that key",
                    class.name, entry.option.key
                )));
            }
            TemplateValue::NoKey | TemplateValue::Repeated => {}
            _ => entry.value = ask_option(class, &entry.option, session)?,
        }
    }
    if asks_name {
        let wrong = |text: &str| name_problems(text).first().map(NameProblem::to_string);
        template.claim = ask("Name of the claim", Some(&template.claim), wrong)?;
    }
    template.size = ask("Size", Some(&template.size), wrong_size)?;
    let modes = AccessMode::ALL.map(|mode| mode.name().to_owned());
    template.access_mode = AccessMode::ALL[choose("Access mode", &modes, 0)?];
    template.is_filled = true;
    Ok(template)
}

/// Upstream: a claim asks for more than nothing (R7).
fn wrong_size(text: &str) -> Option<String> {
    match Quantity::parse(text) {
        Ok(size) if size.is_positive() => None,
        Ok(_) => Some("a claim asks for more than nothing".to_owned()),
        Err(_) => Some("a size is a number with a unit, such as 10Gi or 500Mi".to_owned()),
    }
}

fn ask_option(
    class: &Class,
    option: &OptionDescription,
    session: &mut Session<'_>,
) -> Result<TemplateValue, CommandError> {
    writeln!(session.stderr)?;
    for line in option.description.as_deref().unwrap_or_default().lines() {
        writeln!(session.stderr, "  {}", safe(line))?;
    }
    if option.allowed_values.is_empty() {
        ask_text(class, option)
    } else {
        ask_choice(class, option, session)
    }
}

/// Whether the class wants a value, and has none of its own.
fn must_be_set(option: &OptionDescription) -> bool {
    option.required && option.default_value.is_none()
}

fn ask_text(class: &Class, option: &OptionDescription) -> Result<TemplateValue, CommandError> {
    let must = must_be_set(option);
    let question = match (&option.default_value, must) {
        (Some(default), _) => format!("{} (empty: {default})", option.key),
        (None, true) => option.key.clone(),
        (None, false) => format!("{} (empty: leave it out)", option.key),
    };
    let wrong = |text: &str| match text {
        "" => must.then(|| "this option is required".to_owned()),
        text => option_refusal(class, option, text),
    };
    let answer = ask(&question, None, wrong)?;
    Ok(if answer.is_empty() {
        TemplateValue::LeftOut
    } else {
        TemplateValue::Chosen(answer)
    })
}

fn ask_choice(
    class: &Class,
    option: &OptionDescription,
    session: &mut Session<'_>,
) -> Result<TemplateValue, CommandError> {
    let values = usable_values(class, option);
    for value in option
        .allowed_values
        .iter()
        .filter(|it| !values.contains(it))
    {
        let why = option_refusal(class, option, value).unwrap_or_default();
        writeln!(session.stderr, "  not offered: {}", safe(&why))?;
    }
    let must = must_be_set(option);
    if values.is_empty() && must {
        return Err(CommandError::unanswered(format!(
            "class \"{}\" requires option \"{}\", and its parameters contradict every value that it allows",
            class.name, option.key
        ))
        .with_hints(["only whoever may edit the class can mend it".to_owned()]));
    }
    let mut items = values.clone();
    let is_default = |value: &String| option.default_value.as_ref() == Some(value);
    let preselected = values.iter().position(is_default);
    if let Some(index) = preselected {
        items[index].push_str(" (default)");
    }
    if !must {
        items.push(match &option.default_value {
            Some(default) => format!("leave it out (the class then takes {default})"),
            None => "leave it out".to_owned(),
        });
    }
    let first = if must { 0 } else { values.len() };
    let chosen = choose(&option.key, &items, preselected.unwrap_or(first))?;
    Ok(values
        .into_iter()
        .nth(chosen)
        .map_or(TemplateValue::LeftOut, TemplateValue::Chosen))
}
