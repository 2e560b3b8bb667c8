/** Members of tenants and projects over HTTP. */
@NullMarked
package dev.fairlead.people.tenant.web;

import org.jspecify.annotations.NullMarked;
