/** Identifiers: UUIDv7 stored, a prefixed lower-case Crockford base32 text on every wire. */
@NullMarked
package dev.fairlead.kernel.identity;

import org.jspecify.annotations.NullMarked;
