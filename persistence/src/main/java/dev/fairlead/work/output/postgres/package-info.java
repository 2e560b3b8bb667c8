/** The outputs of attempts on PostgreSQL. */
@NullMarked
package dev.fairlead.work.output.postgres;

import org.jspecify.annotations.NullMarked;
