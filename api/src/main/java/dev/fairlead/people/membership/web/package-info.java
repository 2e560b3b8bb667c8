/** Members of tenants and projects over HTTP. */
@NullMarked
package dev.fairlead.people.membership.web;

import org.jspecify.annotations.NullMarked;
