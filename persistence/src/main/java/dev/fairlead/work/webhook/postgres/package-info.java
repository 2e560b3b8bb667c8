/** Positions of webhooks on PostgreSQL. */
@NullMarked
package dev.fairlead.work.webhook.postgres;

import org.jspecify.annotations.NullMarked;
