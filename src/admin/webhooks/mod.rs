//! Admin pages of webhooks: list and form, page of one webhook, and list of deliveries.

mod deliveries;
mod input;
mod views;

pub use self::deliveries::DeliveryList;
pub use self::views::{change, create, delete, list, send_test, show};
