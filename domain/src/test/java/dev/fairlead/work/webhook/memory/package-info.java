/** Twin of the store of webhooks. */
@NullMarked
package dev.fairlead.work.webhook.memory;

import org.jspecify.annotations.NullMarked;
