/** Limits of tenants and projects: what holds now, and how it is changed. */
@NullMarked
package dev.fairlead.fleet.limit.service;

import org.jspecify.annotations.NullMarked;
