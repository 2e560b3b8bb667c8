/** Sign-in by the JWTs of an OpenID Connect issuer. */
@NullMarked
package dev.fairlead.security.oidc;

import org.jspecify.annotations.NullMarked;
