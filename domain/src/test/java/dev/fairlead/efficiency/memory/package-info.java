/** Twin of the store of efficiencies. */
@NullMarked
package dev.fairlead.efficiency.memory;

import org.jspecify.annotations.NullMarked;
