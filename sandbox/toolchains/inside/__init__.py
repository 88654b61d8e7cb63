"""Programs that run inside the sandbox during a build; standard library only, nothing trusts them."""
