/**
 * Authentication: the local administrator on loopback, or the bearer of the bootstrap token, of an
 * API token, or of an access token of the issuer. Any other caller is refused.
 */
@NullMarked
package dev.fairlead.people.security;

import org.jspecify.annotations.NullMarked;
