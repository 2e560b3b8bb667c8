/** Jobs, elements and attempts in PostgreSQL: the only writer of their states. */
@NullMarked
package dev.fairlead.work.job.postgres;

import org.jspecify.annotations.NullMarked;
