/** Sign-in by the JWTs of an OpenID Connect issuer. */
@NullMarked
package dev.fairlead.people.security.oidc;

import org.jspecify.annotations.NullMarked;
