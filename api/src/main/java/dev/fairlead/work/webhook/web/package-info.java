/** Webhooks over REST. */
@NullMarked
package dev.fairlead.work.webhook.web;

import org.jspecify.annotations.NullMarked;
