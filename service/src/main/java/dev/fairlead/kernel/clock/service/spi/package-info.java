/** Verdict about the database's clock for the loops of other features. */
@NullMarked
package dev.fairlead.kernel.clock.service.spi;

import org.jspecify.annotations.NullMarked;
