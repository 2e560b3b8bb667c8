/** Ports of this feature that other features of the same layer call. */
@NullMarked
package dev.fairlead.data.transfer.service.spi;

import org.jspecify.annotations.NullMarked;
