//! Every exit status, for every command.

use crate::report::{PodVerdict, Verdict};

/// How a command ends. The order of severity is that of [`Exit::worst`], not of the numbers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Exit {
    /// 0: yes, or done.
    Yes,
    /// 1: no: blocked, lost, rejected.
    No,
    /// 2: wrong usage.
    Usage,
    /// 3: could not answer.
    Unanswered,
    /// 4: a change failed part-way, or nobody knows; the rest is still to be done.
    Unfinished,
    /// 5: waiting, and that is normal.
    Waiting,
}

impl Exit {
    /// The number the shell sees.
    pub fn code(self) -> u8 {
        match self {
            Self::Yes => 0,
            Self::No => 1,
            Self::Usage => 2,
            Self::Unanswered => 3,
            Self::Unfinished => 4,
            Self::Waiting => 5,
        }
    }

    /// The status of one verdict.
    pub fn of(verdict: Verdict) -> Self {
        match verdict {
            Verdict::Bound | Verdict::WillBind | Verdict::WillProvision => Self::Yes,
            Verdict::Waiting => Self::Waiting,
            Verdict::Blocked | Verdict::Lost | Verdict::Rejected => Self::No,
            Verdict::Unknown => Self::Unanswered,
        }
    }

    /// The status of the verdict on a pod.
    pub fn of_pod(verdict: PodVerdict) -> Self {
        match verdict {
            PodVerdict::Scheduled | PodVerdict::Schedulable => Self::Yes,
            PodVerdict::Waiting => Self::Waiting,
            PodVerdict::Unschedulable => Self::No,
            PodVerdict::Unknown => Self::Unanswered,
        }
    }

    /// The most severe of several: 3, 1, 5, 0.
    pub fn worst(all: impl IntoIterator<Item = Self>) -> Self {
        let severity = |exit: &Self| match exit {
            Self::Yes => 0,
            Self::Waiting => 1,
            Self::No => 2,
            Self::Unanswered => 3,
            Self::Unfinished => 4,
            Self::Usage => 5,
        };
        all.into_iter().max_by_key(severity).unwrap_or(Self::Yes)
    }
}
