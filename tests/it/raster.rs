//! The PNG writer against pinned pictures, pixel by pixel with a tolerance.
