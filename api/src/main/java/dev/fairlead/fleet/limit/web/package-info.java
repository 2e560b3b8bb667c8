/** REST endpoints of limits of tenants and projects. */
@NullMarked
package dev.fairlead.fleet.limit.web;

import org.jspecify.annotations.NullMarked;
