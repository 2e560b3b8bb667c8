/** In-memory implementation of the webhook store. */
@NullMarked
package dev.fairlead.work.webhook.memory;

import org.jspecify.annotations.NullMarked;
