/** REST endpoints of members of tenants and projects. */
@NullMarked
package dev.fairlead.people.membership.web;

import org.jspecify.annotations.NullMarked;
