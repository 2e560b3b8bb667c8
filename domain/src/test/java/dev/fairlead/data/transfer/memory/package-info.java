/** Twin of the store of transfers. */
@NullMarked
package dev.fairlead.data.transfer.memory;

import org.jspecify.annotations.NullMarked;
