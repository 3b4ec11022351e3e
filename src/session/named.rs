//! Doing what statements on results say.

use std::borrow::Cow;

use super::prompt::LAST;
use super::steps::no_frame;
use super::{Audience, Compared, Session, Stop, Summary, asserted, compared, environment, queried};
use crate::diagnostic::{Diagnostic, Exit};
use crate::frame::Frame;
use crate::output::load;
use crate::output::ndjson::Label;

impl Session {
    /// A result by its name, or one of the environment as it is now.
    pub(super) fn named(&self, name: &str) -> Result<Cow<'_, Frame>, Diagnostic> {
        match self.frames.get(name) {
            Some(frame) => Ok(Cow::Borrowed(frame)),
            None => environment::frame(name).map(Cow::Owned).ok_or_else(|| no_frame(name)),
        }
    }

    pub(super) fn sql(
        &mut self,
        name: Option<&str>,
        sql: &queried::Sql,
        audience: &mut dyn Audience,
        summary: &mut Summary,
    ) -> Result<(), Stop> {
        let names = self.frames.keys().map(String::as_str).chain(environment::NAMES.iter().copied());
        let tables: Vec<(String, Cow<'_, Frame>)> = names
            .filter(|name| sql.names(name))
            .map(|name| Ok((name.to_owned(), self.named(name)?)))
            .collect::<Result<_, Diagnostic>>()?;
        let tables: Vec<(&str, &Frame)> = tables.iter().map(|(name, frame)| (name.as_str(), &**frame)).collect();
        let answer = sql
            .ask(&tables)
            .map_err(|error| sql.diagnostic(&error, self.frames.keys().map(String::as_str), &tables, Exit::Failed))?;
        summary.lost |= answer.meta.has_loss();
        match name {
            Some(name) => {
                self.frames.insert(name.to_owned(), answer.clone());
            }
            None => {
                self.results += 1;
                audience.derived(Label::Number(self.results), &answer)?;
            }
        }
        self.keep_as_last(answer);
        Ok(())
    }

    /// All assertions of a script are tried: one that fails does not hide the next.
    pub(super) fn assert(
        &self,
        claimed: &asserted::Claimed,
        audience: &mut dyn Audience,
        summary: &mut Summary,
    ) -> Result<(), Stop> {
        let frames: Vec<(&str, Cow<'_, Frame>)> = asserted::frames(&claimed.claim.node)
            .into_iter()
            .map(|word| Ok((word.node.as_str(), self.named(&word.node)?)))
            .collect::<Result<_, Diagnostic>>()?;
        let frames: Vec<(&str, &Frame)> = frames.iter().map(|(name, frame)| (*name, &**frame)).collect();
        let problems = match claimed.judge(&frames) {
            Ok(failures) => failures,
            Err(problems) => problems,
        };
        for problem in problems {
            audience.problem(&problem);
            summary.problem = summary.problem.or(Some(problem.exit));
        }
        Ok(())
    }

    pub(super) fn compare(
        &mut self,
        both: &compared::Both,
        audience: &mut dyn Audience,
        summary: &mut Summary,
    ) -> Result<(), Stop> {
        let side = |side: &compared::Side| match side {
            compared::Side::Frame(name) => self.named(name),
            compared::Side::File(path) => load::load(path).map(Cow::Owned),
        };
        let (before, after) = (side(&both.before)?, side(&both.after)?);
        let made = both.compare(&before, &after)?;
        let words = both.words(&made, &before, &after);
        summary.lost |= before.meta.has_loss() || after.meta.has_loss();
        let label = Label::Number(self.results + 1);
        let (frame, told) = (&made.frame, made.told);
        audience.compared(label, &Compared { frame, told, before: &words.before, after: &words.after })?;
        self.results += 1;
        self.keep_as_last(made.frame);
        Ok(())
    }

    fn keep_as_last(&mut self, frame: Frame) {
        if self.keeps_last {
            self.frames.insert(LAST.to_owned(), frame);
        }
    }

    pub(super) fn environment(&mut self, audience: &mut dyn Audience) -> Result<(), Stop> {
        for name in environment::NAMES {
            let Some(frame) = environment::frame(name) else { continue };
            audience.environment(name, &frame, environment::SHORT.contains(name))?;
        }
        Ok(())
    }
}
