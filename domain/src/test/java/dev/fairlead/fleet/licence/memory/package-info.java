/** Licences in memory. */
@NullMarked
package dev.fairlead.fleet.licence.memory;

import org.jspecify.annotations.NullMarked;
