# A server that Terraform logs in to at its public address. Its firewall lets only SSH in.
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

variable "key" {
  type = string
}

resource "ionoscloud_datacenter" "main" {
  name     = var.tag
  location = "de/txl"
}

resource "ionoscloud_lan" "outside" {
  datacenter_id = ionoscloud_datacenter.main.id
  public        = true
}

resource "ionoscloud_server" "web" {
  datacenter_id  = ionoscloud_datacenter.main.id
  name           = "${var.tag}-web"
  cores          = 1
  ram            = 1024
  image_name     = "debian:latest"
  image_password = var.password
  ssh_keys       = ["${var.key}.pub"]

  volume {
    name      = "system"
    disk_type = "SSD Standard"
    size      = 10
  }

  nic {
    lan             = ionoscloud_lan.outside.id
    dhcp            = true
    firewall_active = true

    firewall {
      name             = "ssh"
      protocol         = "TCP"
      port_range_start = 22
      port_range_end   = 22
    }
  }

  connection {
    host        = self.primary_ip
    user        = "root"
    private_key = file(var.key)
  }

  provisioner "file" {
    content     = "written by Terraform\n"
    destination = "/root/note"
  }

  provisioner "remote-exec" {
    inline = ["hostname >> /root/note"]
  }
}

# A login by password, after the server.
resource "terraform_data" "second" {
  connection {
    host     = ionoscloud_server.web.primary_ip
    user     = "root"
    password = var.password
  }

  provisioner "remote-exec" {
    inline = ["id -un >> /root/note"]
  }
}

output "server" {
  value = "${ionoscloud_datacenter.main.id}/servers/${ionoscloud_server.web.id}"
}
