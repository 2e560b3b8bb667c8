/** The clock of PostgreSQL and the marks that were stored by it. */
@NullMarked
package dev.fairlead.kernel.clock.postgres;

import org.jspecify.annotations.NullMarked;
