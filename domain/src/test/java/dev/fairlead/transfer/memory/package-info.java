/** Twin of the store of transfers. */
@NullMarked
package dev.fairlead.transfer.memory;

import org.jspecify.annotations.NullMarked;
