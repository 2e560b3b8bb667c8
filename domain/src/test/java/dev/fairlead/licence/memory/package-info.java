/** Licences in memory. */
@NullMarked
package dev.fairlead.licence.memory;

import org.jspecify.annotations.NullMarked;
