/** Ports of this feature that other features of the same layer call. */
@NullMarked
package dev.fairlead.money.price.web.spi;

import org.jspecify.annotations.NullMarked;
