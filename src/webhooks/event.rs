//! Events that webhooks can subscribe to.

use crate::i18n::Phrase;

/// Event of a webhook, named as in the Standard Webhooks specification.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WebhookEvent {
    /// A post was published, for the first time or again.
    PostPublished,
    /// The ratings of a post began to show unusual activity.
    SurgeBegan,
    SurgeEnded,
    ReportFiled,
    /// Test event that staff send to one webhook, whatever events it subscribes to.
    Test,
}

impl WebhookEvent {
    pub const SUBSCRIBABLE: [Self; 4] = [Self::PostPublished, Self::SurgeBegan, Self::SurgeEnded, Self::ReportFiled];

    pub const ALL: [Self; 5] = [Self::PostPublished, Self::SurgeBegan, Self::SurgeEnded, Self::ReportFiled, Self::Test];

    pub fn name(self) -> &'static str {
        match self {
            Self::PostPublished => "post.published",
            Self::SurgeBegan => "rating_surge.began",
            Self::SurgeEnded => "rating_surge.ended",
            Self::ReportFiled => "report.filed",
            Self::Test => "test",
        }
    }

    pub fn subscribable_from_name(name: &str) -> Option<Self> {
        Self::SUBSCRIBABLE.into_iter().find(|event| event.name() == name)
    }

    pub fn checkbox(self) -> String {
        format!("event_{}", self.name().replace('.', "_"))
    }

    pub fn label(self) -> Phrase {
        Phrase::new(format!("webhook-event-{}", self.name().replace(['.', '_'], "-")))
    }
}
