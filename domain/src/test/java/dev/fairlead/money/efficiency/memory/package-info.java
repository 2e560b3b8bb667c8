/** Twin of the store of efficiencies. */
@NullMarked
package dev.fairlead.money.efficiency.memory;

import org.jspecify.annotations.NullMarked;
