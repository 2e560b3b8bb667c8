/** The PostgreSQL clock and its stored watermarks. */
@NullMarked
package dev.fairlead.kernel.clock.postgres;

import org.jspecify.annotations.NullMarked;
