-- Uploaded images. Tables: `images`, `image_owners`, `image_uses`.

create table images (
    id bigint generated always as identity primary key,
    -- `images.name`: file name, which contains a hash of the content, so that identical uploads are stored once.
    name text not null unique,
    -- `images.bytes`: total size of all files of the image.
    bytes bigint not null,
    created_at timestamptz not null,
    -- `images.unused_since`: time since which no post, draft or profile has shown the image; NULL while it is in use. An image is
    -- deleted after a day without use.
    unused_since timestamptz
);
create index images_unused_since_idx on images (unused_since) where unused_since is not null;

-- Table `image_owners`: users who uploaded an image. An image counts towards the quota of each of its owners.
create table image_owners (
    id bigint generated always as identity primary key,
    user_id bigint not null references users on delete cascade,
    image_id bigint not null references images on delete cascade,
    -- `image_owners.alt`: alternative text of the image.
    alt text not null,
    added_at timestamptz not null,
    constraint image_owners_user_id_image_id_key unique (user_id, image_id)
);
create index image_owners_image_id_idx on image_owners (image_id);

-- Table `image_uses`: uses of an image in posts and profiles of its owners. Uses by other users are not recorded, and do not
-- prevent an owner from deleting the image.
create table image_uses (
    image_id bigint not null references images,
    owner_id bigint not null references users,
    post_id bigint references blog_posts on delete cascade,
    user_id bigint references users on delete cascade,
    constraint one_place check (num_nonnulls(post_id, user_id) = 1)
);
create unique index image_uses_post_id_image_id_key on image_uses (post_id, image_id) where post_id is not null;
create unique index image_uses_user_id_image_id_key on image_uses (user_id, image_id) where user_id is not null;
create index image_uses_image_id_idx on image_uses (image_id);
