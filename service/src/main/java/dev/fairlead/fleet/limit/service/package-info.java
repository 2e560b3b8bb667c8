/**
 * Use cases of the limits of tenants and projects: reading the limits in force, and changing them.
 */
@NullMarked
package dev.fairlead.fleet.limit.service;

import org.jspecify.annotations.NullMarked;
