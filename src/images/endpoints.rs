//! URL configuration of images.

use super::{urls, views};
use crate::web::routing::endpoint::Endpoint;
use crate::web::routing::operation::QueryParameter;

pub fn endpoints() -> Vec<Endpoint> {
    vec![
        Endpoint::new(urls::IMAGE_LIST)
            .get("List your images", views::list)
            .query([QueryParameter::cursor()])
            .post("Upload an image", views::add)
            .errors(&["images_limited"]),
        Endpoint::new(urls::DELETE_IMAGE)
            .post("Delete an image", views::delete)
            .note("Only images that no post, draft or profile shows.")
            .errors(&["image_in_use"]),
    ]
}

pub fn file_endpoints() -> Vec<Endpoint> {
    vec![Endpoint::new(urls::IMAGE_FILE).get("Download an image", views::serve_file).file("image/*")]
}
