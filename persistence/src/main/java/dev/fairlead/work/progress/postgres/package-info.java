/** Progress reports of running attempts in PostgreSQL. */
@NullMarked
package dev.fairlead.work.progress.postgres;

import org.jspecify.annotations.NullMarked;
