/** Members of tenants and projects over HTTP. */
@NullMarked
package dev.fairlead.membership.web;

import org.jspecify.annotations.NullMarked;
