/** Health events, incidents and quarantines in PostgreSQL. */
@NullMarked
package dev.fairlead.health.postgres;

import org.jspecify.annotations.NullMarked;
