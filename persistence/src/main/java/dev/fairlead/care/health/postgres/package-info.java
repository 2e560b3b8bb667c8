/** Health events, incidents and quarantines in PostgreSQL. */
@NullMarked
package dev.fairlead.care.health.postgres;

import org.jspecify.annotations.NullMarked;
