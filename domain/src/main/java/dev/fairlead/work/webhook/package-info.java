/** Webhooks: events of the log sent to HTTPS addresses of tenants, signed, in order per object. */
@NullMarked
package dev.fairlead.work.webhook;

import org.jspecify.annotations.NullMarked;
