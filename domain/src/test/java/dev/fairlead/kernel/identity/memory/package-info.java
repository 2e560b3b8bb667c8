/** A deterministic source of identifiers. */
@NullMarked
package dev.fairlead.kernel.identity.memory;

import org.jspecify.annotations.NullMarked;
