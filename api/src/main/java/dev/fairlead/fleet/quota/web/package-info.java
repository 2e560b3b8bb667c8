/** Quotas and queues over HTTP. */
@NullMarked
package dev.fairlead.fleet.quota.web;

import org.jspecify.annotations.NullMarked;
