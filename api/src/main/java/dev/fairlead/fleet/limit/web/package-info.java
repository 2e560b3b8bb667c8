/** Limits of tenants and projects over REST. */
@NullMarked
package dev.fairlead.fleet.limit.web;

import org.jspecify.annotations.NullMarked;
