/** Quotas and queues over HTTP. */
@NullMarked
package dev.fairlead.quota.web;

import org.jspecify.annotations.NullMarked;
