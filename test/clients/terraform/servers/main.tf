# Servers of three kinds with everything that hangs on them. What changes in place comes in by variables.
terraform {
  required_providers {
    ionoscloud = {
      source = "ionos-cloud/ionoscloud"
    }
  }
}

variable "tag" {
  type = string
}

variable "password" {
  type      = string
  sensitive = true
}

# A public key without its private key.
variable "ssh_key" {
  type    = string
  default = "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIK5n8TScrJLYYt9RspypbYVVjAvQbbXmvnmxQvKMDhlR test@example.com"
}

# The values of the first apply, and of the second one.
variable "wish" {
  type = object({
    cores    = number
    ram      = number
    size     = number
    port     = number
    stage    = string
    vm_state = string
    cube     = string
    boot     = string
  })
  default = {
    cores    = 2
    ram      = 2048
    size     = 10
    port     = 80
    stage    = "test"
    vm_state = "RUNNING"
    cube     = "RUNNING"
    boot     = "data"
  }
}

resource "ionoscloud_datacenter" "main" {
  name     = "${var.tag}-dc"
  location = data.ionoscloud_location.frankfurt.id
}

resource "ionoscloud_lan" "outside" {
  datacenter_id = ionoscloud_datacenter.main.id
  name          = "outside"
  public        = true
}

resource "ionoscloud_lan" "inside" {
  datacenter_id = ionoscloud_datacenter.main.id
  name          = "inside"
  public        = false
}

resource "ionoscloud_ipblock" "main" {
  name     = "${var.tag}-ips"
  location = ionoscloud_datacenter.main.location
  size     = 4
}
