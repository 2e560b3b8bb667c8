/** Delivery of events to the addresses of webhooks. */
@NullMarked
package dev.fairlead.work.webhook.https;

import org.jspecify.annotations.NullMarked;
