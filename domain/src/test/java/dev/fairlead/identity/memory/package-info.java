/** A deterministic source of identifiers. */
@NullMarked
package dev.fairlead.identity.memory;

import org.jspecify.annotations.NullMarked;
